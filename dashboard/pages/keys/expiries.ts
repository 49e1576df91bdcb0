// Choices for the expiry of a key or a credential.

/** Choices in days, as they are named in the texts. */
export const EXPIRIES = ['never', '30', '90', '365'] as const

const DAY_MS = 86_400_000

/** Returns the field of a new key for a number of days from now; no field for `never`. */
export const expiryIn = (days: string): { readonly expires_at?: string } =>
  days === 'never' ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }
