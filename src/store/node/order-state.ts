// State of the certificate orders (ACME), shared by all nodes.

import type { Read } from '../database/dialect.ts'
import { readFact } from './installation.ts'

/** Outcome of the recent orders of a certificate. */
export interface OrderState {
  /** Number of consecutive failed orders. */
  readonly failures: number
  /** Time of the last order, in milliseconds since the epoch. */
  readonly triedAt: number
  /** Reason for the failure of the last order; undefined after a success. */
  readonly problem?: string
  /** Time at which the certificate should be renewed, if the authority suggests one (RFC 9773). */
  readonly renewAt?: number
}

/** Prefix of a problem text when the certificate authority was not reached and therefore checked nothing. */
export const NOT_REACHED = 'it cannot be reached'

/** Name of the fact that stores the order state of the installation's own certificate. */
export const ORDER_STATE = 'acme-state'

/**
 * Returns the state of the orders of a certificate, with zero failures if no certificate was ordered yet.
 *
 * @param name name of the fact, for a certificate other than the installation's own
 */
export async function readOrderState(read: Read, name: string = ORDER_STATE): Promise<OrderState> {
  const value = await readFact(read, name)
  return value === undefined ? { failures: 0, triedAt: 0 } : JSON.parse(value)
}
