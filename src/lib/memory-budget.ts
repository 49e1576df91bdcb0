// Memory that many takers share, counted so that they stay within it together.

/** So many octets and no more. */
export class MemoryBudget {
  #left: number

  constructor(octets: number) {
    this.#left = octets
  }

  /** False when there is not as much left; then nothing is taken. */
  take(octets: number): boolean {
    if (octets > this.#left) return false
    this.#left -= octets
    return true
  }

  giveBack(octets: number): void {
    this.#left += octets
  }
}
