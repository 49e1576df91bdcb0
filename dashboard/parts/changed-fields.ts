// The changes that a form makes to an object that other users may change too.

/**
 * Returns the fields that differ from their previous values. Unchanged fields are not sent, because another user may
 * have changed them in the meantime, or an allowance may have been used up.
 */
export const changedFields = <Fields extends object>(now: Fields, before: Fields): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Fields]),
    ),
  ) as Partial<Fields>
