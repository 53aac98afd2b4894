/** The directions of imports: csv → contracts → runtime → database, messaging, storage → jobs, ingest → apps. */
const libraries = {
  csv: [],
  contracts: ['csv'],
  runtime: ['csv', 'contracts'],
  database: ['csv', 'contracts', 'runtime'],
  storage: ['csv', 'contracts', 'runtime'],
  messaging: ['csv', 'contracts', 'runtime', 'database'],
  'postgres-server': [],
  jobs: ['csv', 'contracts', 'runtime', 'database', 'storage', 'messaging'],
  ingest: ['csv', 'contracts', 'runtime', 'database', 'messaging'],
};

const directions = Object.entries(libraries).map(([name, allowed]) => ({
  name: `libs-${name}`,
  comment: `libs/${name} may import only ${allowed.join(', ') || 'packages'}`,
  severity: 'error',
  from: { path: `^libs/${name}/src/`, pathNot: '[.]spec[.]ts$' },
  to: { path: '^(apps|libs|deploy|test)/', pathNot: `^libs/(${[name, ...allowed].join('|')})/` },
}));

const owners = Object.entries({
  kafkajs: 'messaging',
  minio: 'storage',
  'csv-parser': 'csv',
  '@fast-csv/format': 'csv',
  '@streamparser/json': 'csv',
}).map(([name, library]) => ({
  name: `only-${library}-imports-${name.replace(/\W/g, '-')}`,
  severity: 'error',
  from: { path: '^(apps|libs|deploy)/', pathNot: `^libs/${library}/|[.]spec[.]ts$` },
  to: { path: `node_modules/${name}/` },
}));

module.exports = {
  forbidden: [
    ...directions,
    ...owners,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'apps-stand-alone',
      comment: 'Apps never import apps; standalone and cli run the code of others.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/(standalone|cli)/|[.]spec[.]ts$' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'no-test-code',
      severity: 'error',
      from: { path: '^(apps|libs|deploy)/.*/?(?<![.]spec)[.]ts$', pathNot: '[.]spec[.]ts$|/testing/' },
      to: { path: '^test/|/testing/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
