import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Type-aware lint: a floating promise or a forgotten switch case is an error. */
export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.stack/', '.tallyport/', '**/*.cjs', '**/*.mjs', '.config/'] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: ['test/tsconfig.json'], tsconfigRootDir: new URL('..', import.meta.url).pathname },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Events and DTOs are plain data that is checked where it enters.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.property.name='pipe'][arguments.length=1] > Identifier.arguments:not([name=/^(retry|map|catchError|tap)/])",
          message: 'a.pipe(b) hangs when its source dies: use pipeline() of node:stream/promises.',
        },
        {
          selector:
            "ExpressionStatement > CallExpression[callee.property.name='emit'][callee.object.property.name=/[cC]lient/]",
          message: 'An unawaited emit() loses its error: publish through EventBus.',
        },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
);
