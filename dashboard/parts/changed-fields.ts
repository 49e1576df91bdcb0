// What a form changes of a thing that others change too.

/**
 * The fields that differ from what they were: what was not touched is not sent, since it may be another by now, as an
 * allowance that is used up meanwhile.
 */
export const changedFields = <Fields extends object>(now: Fields, before: Fields): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Fields]),
    ),
  ) as Partial<Fields>
