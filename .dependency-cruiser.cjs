// Who may import whom: the table of docs/architecture.md, and its only other copy. Who may import lib may import threads
// and tables as well, which import lib alone.
const allowed = {
  lib: [],
  model: ['lib'],
  mime: ['lib', 'model'],
  dkim: ['lib', 'model'],
  'template-language': ['lib'],
  dns: ['lib', 'model'],
  smtp: ['lib', 'model'],
  'outgoing-http': ['dns', 'lib'],
  'mta-sts': ['dns', 'outgoing-http'],
  dsn: ['mime', 'model'],
  store: ['lib', 'model'],
  submission: ['model', 'mime', 'templates', 'streams', 'store', 'lib'],
  bulk: ['submission', 'templates', 'model', 'store', 'lib'],
  egress: ['model', 'smtp', 'dns', 'mta-sts', 'outgoing-http', 'store', 'lib'],
  queue: ['delivery', 'model', 'store', 'lib'],
  delivery: ['egress', 'model', 'mime', 'dkim', 'smtp', 'store', 'lib'],
  bounces: ['model', 'dsn', 'smtp', 'mime', 'store', 'lib'],
  inbound: ['access', 'dns', 'dsn', 'mime', 'model', 'store', 'lib'],
  verification: ['egress', 'model', 'smtp', 'dns', 'store', 'lib'],
  templates: ['model', 'store', 'lib', 'template-language'],
  domains: ['model', 'store', 'lib', 'dns', 'dkim', 'outgoing-http'],
  access: ['model', 'store', 'lib'],
  streams: ['model', 'store', 'lib'],
  tracking: ['model', 'store', 'lib'],
  webhooks: ['model', 'outgoing-http', 'store', 'lib'],
  operator: ['model', 'store', 'lib'],
  certificates: ['outgoing-http', 'model', 'store', 'lib'],
  health: ['dns', 'model', 'store', 'lib'],
  smtpd: ['certificates', 'submission', 'bounces', 'inbound', 'access', 'mime', 'model', 'lib'],
  api: [
    'bulk',
    'submission',
    'inbound',
    'verification',
    'templates',
    'domains',
    'access',
    'streams',
    'tracking',
    'webhooks',
    'operator',
    'health',
    'model',
    'lib',
    'store',
  ],
  playground: [
    'access',
    'domains',
    'dkim',
    'dns',
    'inbound',
    'mime',
    'smtpd',
    'streams',
    'model',
    'store',
    'lib',
  ],
}

const BESIDE_LIB = ['threads', 'tables']
const rooms = {
  ...Object.fromEntries(BESIDE_LIB.map((folder) => [folder, ['lib']])),
  ...Object.fromEntries(
    Object.entries(allowed).map(([folder, may]) => [
      folder,
      may.includes('lib') ? [...may, ...BESIDE_LIB] : may,
    ]),
  ),
}

const folders = Object.entries(rooms).map(([folder, may]) => ({
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
      name: 'queue-by-its-manager',
      comment: 'of src/queue only manager.ts is imported from outside',
      severity: 'error',
      from: { path: '^(src|bench)/', pathNot: '^src/queue/|\\.test\\.ts$' },
      to: { path: '^src/queue/', pathNot: '^src/queue/manager\\.ts$' },
    },
    {
      name: 'queue-takes-types-of-delivery',
      comment: 'the composition root hands the queue manager the function that delivers',
      severity: 'error',
      from: { path: '^src/queue/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/delivery/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'egress-doors',
      comment: 'outside of src/egress only its routes, attempts and connections are imported',
      severity: 'error',
      from: { path: '^(src|bench)/', pathNot: '^src/egress/|\\.test\\.ts$' },
      to: { path: '^src/egress/', pathNot: '^src/egress/(route|attempt|pool)\\.ts$' },
    },
    {
      name: 'one-way-out-over-http',
      comment: 'requests leave by src/outgoing-http, which checks where they go',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/outgoing-http/|\\.test\\.ts$' },
      to: { path: 'node_modules/undici/' },
    },
    {
      name: 'traces-by-one-file',
      comment:
        'OpenTelemetry is imported by src/node/open-telemetry.ts alone, which is loaded when traces are collected',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/node/open-telemetry\\.ts$' },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'traces-are-loaded-when-set',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/node/open-telemetry\\.ts$', dynamic: false },
    },
    {
      name: 'node-imports',
      severity: 'error',
      from: { path: '^src/node/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'engine-without-nouns',
      comment: 'src/store/database is the engine and knows no noun',
      severity: 'error',
      from: { path: '^src/store/database/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/store/', pathNot: '^src/store/database/' },
    },
    {
      name: 'store-nouns-below',
      comment:
        'what touches every noun (accepting, person, readers, search, removal, problems) stands above the nouns',
      severity: 'error',
      from: {
        path: '^src/store/[a-z]+/',
        pathNot: '^src/store/(accepting|person|readers|search|removal|problems)/|\\.test\\.ts$',
      },
      to: { path: '^src/store/(accepting|person|readers|search|removal|problems)/' },
    },
    {
      name: 'config-imports',
      severity: 'error',
      from: { path: '^src/config/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(lib|config)/' },
    },
    {
      name: 'cli-imports',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(cli|node|config|store|access|domains|operator|health|verification|templates|streams|lib|tables|model|dns)/',
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
      name: 'http-without-undici',
      comment:
        "an import of node:http loads Node's own undici: 90 ms and 16 MB; process.getBuiltinModule does not",
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(node:)?http$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'dashboard-imports',
      comment: 'the dashboard is a program of its own; of src it may import types of src/api/contract',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^(src|test|bench|bin)/', pathNot: '^src/api/contract/' },
    },
    {
      name: 'dashboard-imports-types',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^src/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'server-without-dashboard',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^dashboard/' },
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
    exclude: { path: '^dashboard/dist' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
}
