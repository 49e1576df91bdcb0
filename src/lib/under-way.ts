// Things that begin and end all the time, while somebody has to know all that are under way.

interface Place<Member> {
  /** Undefined once it has left, so that a list that has been outgrown holds nothing. */
  member: Member | undefined
  index: number
}

/**
 * A bag of objects, for what enters and leaves with every request. A Set, a Map or the listeners of an AbortSignal would
 * leave a chain of dead tables or nodes behind: once one of them is in the old generation, everything that later ones
 * held is kept until the whole heap is collected, which then has to happen all the time (see bench/README.md).
 */
export class UnderWay<Member extends object> {
  readonly #places: Place<Member>[] = []

  /** Adds a member; the returned function takes it out, also when it is called again. */
  enter(member: Member): () => void {
    const place: Place<Member> = { member, index: this.#places.length }
    this.#places.push(place)
    return () => this.#leave(place)
  }

  /** The members of this moment, in no order. */
  get members(): Member[] {
    return this.#places.map(({ member }) => member as Member)
  }

  /** Takes members out one by one until none is left, also those that are added meanwhile; each is handed to `work`. */
  drain(work: (member: Member) => void): void {
    for (let place = this.#places.at(-1); place !== undefined; place = this.#places.at(-1)) {
      const { member } = place
      this.#leave(place)
      work(member as Member)
    }
  }

  #leave(place: Place<Member>): void {
    if (place.member === undefined) return
    place.member = undefined
    const last = this.#places.pop() as Place<Member>
    if (last !== place) {
      this.#places[place.index] = last
      last.index = place.index
    }
  }
}

const waiting = new WeakMap<AbortSignal, UnderWay<() => void>>()

/**
 * Calls `action` when the signal is aborted, at once when it was; the returned function takes that back. For signals that
 * live long and that each piece of work listens to: the signal has one listener for all of them.
 */
export function whenAborted(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) {
    action()
    return () => {}
  }
  let actions = waiting.get(signal)
  if (actions === undefined) {
    const all = new UnderWay<() => void>()
    signal.addEventListener('abort', () => all.drain((one) => one()))
    waiting.set(signal, all)
    actions = all
  }
  return actions.enter(action)
}
