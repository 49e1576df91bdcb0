// New connections, which the event loop hands on one in a turn: those that have arrived together are taken together.

import type { EventEmitter } from 'node:events'
import { eventLoopBudget } from './event-loop-budget.ts'

/** A turn that takes longer keeps the next connection waiting, in milliseconds. */
const LONG_MS = 4

let hasArrived = false
let isLooking = false
let lookedAt = 0
let goOn: (() => void) | undefined

/**
 * Has the connections of a server that wait in the system's queue taken before other work goes on, for as long as work
 * may wait. Each turn of the event loop takes one of them (libuv since 1.45), so that the last of a hundred clients of a
 * busy node would wait for a hundred long turns.
 *
 * @param server emits `connection`
 */
export function takeTogether(server: EventEmitter): void {
  server.on('connection', () => {
    hasArrived = true
    if (isLooking) return
    isLooking = true
    lookedAt = performance.now()
    setImmediate(look)
  })
}

/** After each turn that has brought a connection: turns without work follow one that was long. */
function look(): void {
  const before = lookedAt
  lookedAt = performance.now()
  if (!hasArrived) {
    isLooking = false
    goOn?.()
    goOn = undefined
    return
  }
  hasArrived = false
  if (lookedAt - before > LONG_MS && !eventLoopBudget.isWaiting) {
    goOn?.()
    goOn = eventLoopBudget.holdWork()
  }
  setImmediate(look)
}
