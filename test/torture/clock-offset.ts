// Shifts the clock of a node by the offset in a file, also when the file changes later; NODE_OPTIONS preloads this
// module. The node ends with the run that started it.

import { readFileSync } from 'node:fs'

const CHECK_MS = 20
const RealDate = Date
let offset = 0

function readOffset(): void {
  try {
    offset = Number(readFileSync(process.env.TORTURE_CLOCK_FILE as string, 'utf8')) || 0
  } catch {
    // The file does not exist while the clock is right.
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
