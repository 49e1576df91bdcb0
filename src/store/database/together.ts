// Runs statements of one transaction that do not depend on each other's results.

/**
 * Waits for statements, or chains of statements, that do not depend on each other's results. PostgreSQL receives the
 * statements all at once, so that the number of round trips is the length of the longest chain. Rejects with the first
 * error, but only after all statements have ended; `Promise.all` could let a statement run after the rollback.
 */
export async function together<Results extends readonly unknown[]>(
  ...under: { readonly [Index in keyof Results]: Promise<Results[Index]> }
): Promise<Results> {
  const failures: unknown[] = []
  const results = await Promise.all(under.map((one) => one.catch((error) => failures.push(error))))
  if (failures.length > 0) throw failures[0]
  return results as unknown as Results
}
