// Runs statements of one transaction that do not need each other's answers.

/**
 * Waits for statements, or chains of them, that do not need each other's answers. PostgreSQL gets them all at once, so
 * that a transaction takes as many round trips as its longest chain has statements. Rejects only after each has ended,
 * with the error that came first, so that none runs after the rollback, as it could with `Promise.all`.
 */
export async function together<Results extends readonly unknown[]>(
  ...under: { readonly [Index in keyof Results]: Promise<Results[Index]> }
): Promise<Results> {
  const failures: unknown[] = []
  const results = await Promise.all(under.map((one) => one.catch((error) => failures.push(error))))
  if (failures.length > 0) throw failures[0]
  return results as unknown as Results
}
