// The test files that `npm test` also runs on PostgreSQL: a few files that execute most SQL statements.

/**
 * Test files that `npm test` runs on both databases. `npm run test:thorough` runs all other files on PostgreSQL. The
 * check against the inventory of SQL statements (`statements.ts`) fails if the two tiers no longer execute a statement,
 * or if `npm test` executes too few statements.
 */
export const POSTGRES_FILES: readonly string[] = [
  ...[
    ...['dashboard/search/search', 'dashboard/events/events', 'dashboard/operator/operator'],
    ...['dashboard/stats/stats', 'request-log', 'webhooks/webhooks', 'stats/stats', 'streams/streams'],
    ...['answer-once', 'messages/read', 'suppressions/entries', 'account/account', 'accounts/accounts'],
    'explain/explain',
    'incidents/incidents',
  ].map((name) => `src/api/${name}.test.ts`),
  'src/domains/domains.test.ts',
  ...[
    ...['people-audit', 'people-authorisation', 'removes-old-messages', 'operator-api', 'streams'],
    ...['inbound-store-away', 'loses-no-lease', 'wakes-other-nodes', 'rights-matrix'],
    ...['reports', 'test-inboxes'],
  ].map((name) => `test/flow/${name}.test.ts`),
]

/** Test files that never run on PostgreSQL, each with the reason. */
export const SQLITE_ONLY: ReadonlyMap<string, string> = new Map([
  [
    'src/api/garbage.test.ts',
    'its limit fits the statements of SQLite, and the driver of PostgreSQL has other garbage',
  ],
  [
    'test/flow/compat-property.test.ts',
    'it compares random messages with their mail; the tests of each service store the same fields in PostgreSQL',
  ],
])
