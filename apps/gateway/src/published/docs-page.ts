import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constantAnswer, type ConstantAnswer } from './constant-answer.js';

const require = createRequire(import.meta.url);

/** Swagger UI sets styles on elements and draws its icons as data URLs; scripts and requests stay on this host. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Paths are relative, so that the page works under any `base_url`. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Tallyport API</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png" />
    <link rel="stylesheet" href="docs/swagger-ui.css" />
  </head>
  <body>
    <div id="page"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** The token is kept in the tab only: a reload forgets it. */
const START = `SwaggerUIBundle({
  url: new URL('api/v1/openapi.json', document.baseURI).href,
  dom_id: '#page',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const FILES: Record<string, () => ConstantAnswer> = {
  'start.js': once(() => constantAnswer('text/javascript; charset=utf-8', START)),
  'swagger-ui-bundle.js': once(() => packaged('swagger-ui-bundle.js', 'text/javascript; charset=utf-8')),
  'swagger-ui.css': once(() => packaged('swagger-ui.css', 'text/css; charset=utf-8')),
  'favicon-32x32.png': once(() => packaged('favicon-32x32.png', 'image/png')),
};

export const docsPage = once(() => constantAnswer('text/html; charset=utf-8', PAGE));

/** What the page loads. */
export const DOCS_FILES = Object.keys(FILES);

/** A file of the page, read at the first request; undefined when it has no such file. */
export function docsFile(name: string): ConstantAnswer | undefined {
  return Object.hasOwn(FILES, name) ? FILES[name]?.() : undefined;
}

function packaged(file: string, type: string): ConstantAnswer {
  return constantAnswer(type, readFileSync(require.resolve(`swagger-ui-dist/${file}`)));
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
