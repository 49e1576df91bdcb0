// Sending allowance of an account: a number of recipients, once or in each calendar month in UTC.

/** How often an allowance begins anew. */
export const ALLOWANCE_RENEWALS = ['never', 'month'] as const
export type AllowanceRenewal = (typeof ALLOWANCE_RENEWALS)[number]

/** Allowance of an account as stored; an allowance that has ended renews with the next message of the account. */
export interface Allowance {
  /**
   * Number of recipients that are left since the last renewal; null if there is no limit. Negative if the number of each
   * month was lowered below what the present month has used.
   */
  readonly sending_allowance: number | null
  /** Number of recipients in each month; null for an allowance that does not renew. */
  readonly monthly_allowance: number | null
  /** Time of the next renewal in milliseconds since the epoch; null for an allowance that does not renew. */
  readonly allowance_renews_at: number | null
}

/** Allowance as an operator gives it; an undefined property stays. */
export interface WantedAllowance {
  readonly sending_allowance?: number | null | undefined
  readonly allowance_renews?: AllowanceRenewal | undefined
}

export const NO_ALLOWANCE: Allowance = {
  sending_allowance: null,
  monthly_allowance: null,
  allowance_renews_at: null,
}

/** Returns the beginning of the next calendar month in UTC. */
export function nextMonth(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

export const renewalOf = ({ monthly_allowance }: Pick<Allowance, 'monthly_allowance'>): AllowanceRenewal =>
  monthly_allowance === null ? 'never' : 'month'

const storedLeft = (
  { sending_allowance, monthly_allowance, allowance_renews_at }: Allowance,
  now: number,
): number | null =>
  allowance_renews_at !== null && allowance_renews_at <= now ? monthly_allowance : sending_allowance

/** Returns the number of recipients that are left; null if there is no limit. */
export function allowanceLeft(allowance: Allowance, now: number): number | null {
  const left = storedLeft(allowance, now)
  return left === null ? null : Math.max(0, left)
}

/** Returns the allowance as an operator gave it: the number of each month, or the number that is left. */
export const givenAllowance = (allowance: Allowance): number | null =>
  allowance.monthly_allowance ?? allowance.sending_allowance

/**
 * Returns the allowance after a change; undefined for an allowance without a number that is to renew. The recipients of
 * the present month count against a new number of each month.
 */
export function changedAllowance(
  present: Allowance,
  {
    sending_allowance: wanted,
    allowance_renews: renewal = wanted === null ? 'never' : renewalOf(present),
  }: WantedAllowance,
  now: number,
): Allowance | undefined {
  if (renewal === 'never') {
    return { ...NO_ALLOWANCE, sending_allowance: wanted === undefined ? allowanceLeft(present, now) : wanted }
  }
  const number = wanted === undefined ? givenAllowance(present) : wanted
  if (number === null) return undefined
  const { monthly_allowance: before } = present
  const used = before === null ? 0 : before - (storedLeft(present, now) ?? 0)
  return {
    sending_allowance: number - used,
    monthly_allowance: number,
    allowance_renews_at: nextMonth(now),
  }
}
