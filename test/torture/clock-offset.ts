// Preloaded into a node by NODE_OPTIONS: its clock is as far off as a file says, and is set again while it runs; the node
// ends with the run that started it.

import { readFileSync } from 'node:fs'

const LOOK_MS = 20
const RealDate = Date
let offset = 0

function look(): void {
  try {
    offset = Number(readFileSync(process.env.TORTURE_CLOCK_FILE as string, 'utf8')) || 0
  } catch {
    // There is none while the clock is right.
  }
}

class OffsetDate extends RealDate {
  constructor(...parts: unknown[]) {
    if (parts.length === 0) super(RealDate.now() + offset)
    else super(...(parts as [number]))
  }

  static override now(): number {
    return RealDate.now() + offset
  }
}

process.channel?.unref()
process.on('disconnect', () => process.exit(1))

if (process.env.TORTURE_CLOCK_FILE !== undefined) {
  look()
  setInterval(look, LOOK_MS).unref()
  globalThis.Date = OffsetDate as DateConstructor
}
