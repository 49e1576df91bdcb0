// Accepts connections that arrive together without long waits, although the event loop accepts one connection per turn.

import type { EventEmitter } from 'node:events'
import { eventLoopBudget } from './event-loop-budget.ts'

/** Duration of a turn, in milliseconds, above which the next connection waits too long. */
const LONG_MS = 4

let hasArrived = false
let isWatching = false
let turnAt = 0
let goOn: (() => void) | undefined

/**
 * Accepts the connections in the listen queue of the system before other work continues, for as long as work may wait.
 * Each turn of the event loop accepts only one connection (libuv since 1.45), so the last of a hundred clients of a
 * busy node would wait for a hundred long turns.
 * @param server server that emits `connection`
 */
export function takeTogether(server: EventEmitter): void {
  server.on('connection', () => {
    hasArrived = true
    if (isWatching) return
    isWatching = true
    turnAt = performance.now()
    setImmediate(nextTurn)
  })
}

/** Runs after each turn with a connection; delays other work after a long turn. */
function nextTurn(): void {
  const before = turnAt
  turnAt = performance.now()
  if (!hasArrived) {
    isWatching = false
    goOn?.()
    goOn = undefined
    return
  }
  hasArrived = false
  if (turnAt - before > LONG_MS && !eventLoopBudget.isWaiting) {
    goOn?.()
    goOn = eventLoopBudget.holdWork()
  }
  setImmediate(nextTurn)
}
