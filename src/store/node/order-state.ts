// The state of orders for a certificate, as all nodes share it.

import type { Read } from '../database/dialect.ts'
import { readFact } from './installation.ts'

/** The orders of late. */
export interface OrderState {
  /** Failed orders in a row. */
  readonly failures: number
  /** Milliseconds since the epoch. */
  readonly triedAt: number
  /** Reason why the last one failed; undefined when it did not. */
  readonly problem?: string
  /** The time at which the certificate is to be renewed, where the authority says one (RFC 9773). */
  readonly renewAt?: number
}

/** Beginning of a problem where the authority was not reached at all: nothing of ours was looked at. */
export const NOT_REACHED = 'it cannot be asked'

/** The name of the fact. */
export const ORDER_STATE = 'acme-state'

/**
 * Answers a state without failures while nothing was ordered.
 *
 * @param name of the fact, of another certificate than the installation's own
 */
export async function readOrderState(read: Read, name: string = ORDER_STATE): Promise<OrderState> {
  const value = await readFact(read, name)
  return value === undefined ? { failures: 0, triedAt: 0 } : JSON.parse(value)
}
