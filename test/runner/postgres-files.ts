// The test files that `npm test` runs a second time on PostgreSQL: few files that reach most statements.

/**
 * `npm run test:thorough` runs all other files on PostgreSQL, and its inventory of statements (`statements.ts`) fails when
 * the two tiers no longer reach a statement, or `npm test` reaches too few.
 */
export const POSTGRES_FILES: readonly string[] = [
  ...[
    ...['dashboard/search/search', 'dashboard/events/events', 'dashboard/operator/operator'],
    ...['dashboard/stats/stats', 'request-log', 'webhooks/webhooks', 'stats/stats', 'streams/streams'],
    ...['answer-once', 'messages/read', 'suppressions/entries'],
  ].map((name) => `src/api/${name}.test.ts`),
  'src/domains/domains.test.ts',
  ...[
    ...['people-audit', 'people-authorisation', 'removes-old-messages', 'operator-api', 'streams'],
    ...['inbound-store-away', 'loses-no-lease', 'wakes-other-nodes'],
  ].map((name) => `test/flow/${name}.test.ts`),
]
