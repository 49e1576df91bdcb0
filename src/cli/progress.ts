// Progress bar on standard error, for people who wait at a terminal.

const BAR_WIDTH = 30
const REDRAW_MS = 200

/** Shows a progress bar on standard error if standard error is a terminal. */
export class Progress {
  readonly #total: number
  readonly #shown = process.stderr.isTTY === true
  #done = 0
  #drawnAt = 0

  constructor(total: number) {
    this.#total = total
  }

  step(): void {
    this.reach(this.#done + 1)
  }

  /** Notes the number of ended items. */
  reach(done: number): void {
    this.#done = done
    if (performance.now() - this.#drawnAt >= REDRAW_MS) this.#draw()
  }

  end(): void {
    this.#draw()
    if (this.#shown) process.stderr.write('\n')
  }

  #draw(): void {
    if (!this.#shown) return
    this.#drawnAt = performance.now()
    const filled = Math.round((BAR_WIDTH * this.#done) / this.#total)
    const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '.')
    process.stderr.write(`\r[${bar}] ${this.#done} of ${this.#total}`)
  }
}
