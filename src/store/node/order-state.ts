// The state of certificate orders, which all nodes share.

import type { Read } from '../database/dialect.ts'
import { readFact } from './installation.ts'

/** Recent orders of a certificate. */
export interface OrderState {
  /** Number of failed orders in a row. */
  readonly failures: number
  /** Milliseconds since the epoch. */
  readonly triedAt: number
  /** Reason for the failure of the last order; undefined after a success. */
  readonly problem?: string
  /** Time at which the certificate should be renewed, if the authority suggests one (RFC 9773). */
  readonly renewAt?: number
}

/** Beginning of a problem text when the authority was not reached, so that it has checked nothing. */
export const NOT_REACHED = 'it cannot be asked'

/** Name of the fact. */
export const ORDER_STATE = 'acme-state'

/**
 * Returns the state, without failures if nothing was ordered yet.
 *
 * @param name name of the fact, for a certificate other than the installation's own
 */
export async function readOrderState(read: Read, name: string = ORDER_STATE): Promise<OrderState> {
  const value = await readFact(read, name)
  return value === undefined ? { failures: 0, triedAt: 0 } : JSON.parse(value)
}
