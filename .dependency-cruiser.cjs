// Who may import whom: the table of docs/architecture.md, and its only other copy.
const allowed = {
  lib: [],
  model: ['lib'],
  mime: ['lib', 'model'],
  dkim: ['lib', 'model'],
  'template-language': ['lib', 'model'],
  dns: ['lib', 'model'],
  smtp: ['lib', 'model'],
  'outgoing-http': ['dns', 'lib', 'model'],
  'mta-sts': ['dns', 'outgoing-http', 'lib', 'model'],
  dsn: ['mime', 'model', 'lib'],
  store: ['lib', 'model'],
  submission: ['model', 'templates', 'streams', 'store', 'lib'],
  delivery: ['model', 'mime', 'dkim', 'smtp', 'dns', 'mta-sts', 'outgoing-http', 'store', 'lib'],
  bounces: ['model', 'dsn', 'smtp', 'store', 'lib'],
  verification: ['model', 'smtp', 'dns', 'store', 'lib'],
  templates: ['model', 'store', 'lib', 'template-language'],
  domains: ['model', 'store', 'lib', 'dns', 'dkim'],
  access: ['model', 'store', 'lib'],
  streams: ['model', 'store', 'lib'],
  webhooks: ['model', 'outgoing-http', 'store', 'lib'],
  operator: ['domains', 'model', 'store', 'lib'],
  smtpd: ['smtp', 'submission', 'bounces', 'access', 'mime', 'model', 'lib'],
  api: [
    'submission',
    'verification',
    'templates',
    'domains',
    'access',
    'streams',
    'operator',
    'model',
    'lib',
    'store',
  ],
  playground: ['access', 'domains', 'dkim', 'dns', 'mime', 'model', 'store', 'lib'],
}

const folders = Object.entries(allowed).map(([folder, may]) => ({
  name: `${folder}-imports`,
  comment: `src/${folder} may import ${may.length === 0 ? 'nothing of src' : may.join(', ')}`,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: '\\.test\\.ts$' },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...may].join('|')})/` },
}))

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...folders,
    {
      name: 'app-imports',
      severity: 'error',
      from: { path: '^src/app(-verification)?\\.ts$' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'config-imports',
      severity: 'error',
      from: { path: '^src/config\\.ts$' },
      to: { path: '^src/', pathNot: '^src/lib/' },
    },
    {
      name: 'cli-imports',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(cli|store|access|domains|operator|verification|templates|streams|lib|model|dns)/|^src/(app|app-verification|config)\\.ts$',
      },
    },
    {
      name: 'query-builder-only-in-store',
      comment: 'all SQL lives in src/store',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/store/' },
      to: { path: 'node_modules/(kysely|pg)/|^node:sqlite$' },
    },
    {
      name: 'no-tests-in-production',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^test/|^bench/|\\.test\\.ts$' },
    },
    {
      name: 'no-dev-dependencies-in-production',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
}
