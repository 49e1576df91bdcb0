// Shifts the clock of a node by the offset in a file, which may change at any time. NODE_OPTIONS preloads this module
// in the node. The node ends when the process of the torture run ends.

import { readFileSync } from 'node:fs'

const CHECK_MS = 20
const RealDate = Date
let offset = 0

function readOffset(): void {
  try {
    offset = Number(readFileSync(process.env.TORTURE_CLOCK_FILE as string, 'utf8')) || 0
  } catch {
    // The file does not exist while the clock is correct.
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
  readOffset()
  setInterval(readOffset, CHECK_MS).unref()
  globalThis.Date = OffsetDate as DateConstructor
}
