// Remembers what was used last, up to a weight.

/** A map that holds at most `most` in weight: what was used least recently makes room. */
export class Recent<Value> {
  readonly #most: number
  readonly #entries = new Map<string, { readonly value: Value; readonly weight: number }>()
  #weight = 0

  constructor(most: number) {
    this.#most = most
  }

  /** The remembered value, which then counts as just used. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Remembers a value; one that is heavier than all that may be held is not. */
  set(key: string, value: Value, weight: number): void {
    this.#delete(key)
    if (weight > this.#most) return
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#most) return
      this.#delete(oldest)
    }
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }

  #delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }
}
