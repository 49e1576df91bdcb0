// A set of active objects, for objects that are added and removed with every request.

interface Place<Member> {
  /** The member; undefined after the member was removed, so that a stale copy of the list keeps no member alive. */
  member: Member | undefined
  index: number
}

/**
 * Set of objects that are added and removed with every request. A Set, a Map or the listeners of an AbortSignal would
 * leave a chain of discarded hash tables or list nodes. A discarded table in the old generation of the heap keeps the
 * contents of all later tables alive until a full garbage collection, so that full collections would run all the time
 * (see bench/README.md).
 */
export class ActiveSet<Member extends object> {
  readonly #places: Place<Member>[] = []

  /** Adds a member; the returned function removes the member and may be called more than once. */
  add(member: Member): () => void {
    const place: Place<Member> = { member, index: this.#places.length }
    this.#places.push(place)
    return () => this.#remove(place)
  }

  /** Returns the current members, in no particular order. */
  get members(): Member[] {
    return this.#places.map(({ member }) => member as Member)
  }

  /**
   * Removes members one by one until none is left, and passes each member to `work`, including members that are added
   * during the removal.
   */
  drain(work: (member: Member) => void): void {
    for (let place = this.#places.at(-1); place !== undefined; place = this.#places.at(-1)) {
      const { member } = place
      this.#remove(place)
      work(member as Member)
    }
  }

  #remove(place: Place<Member>): void {
    if (place.member === undefined) return
    place.member = undefined
    const last = this.#places.pop() as Place<Member>
    if (last !== place) {
      this.#places[place.index] = last
      last.index = place.index
    }
  }
}

const waiting = new WeakMap<AbortSignal, ActiveSet<() => void>>()

/**
 * Calls `action` once the signal is aborted, or at once for an already aborted signal; the returned function cancels
 * the call. Suitable for long-lived signals with many short-lived callbacks: the signal has a single listener, which
 * runs all callbacks.
 */
export function whenAborted(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) {
    action()
    return () => {}
  }
  let actions = waiting.get(signal)
  if (actions === undefined) {
    const all = new ActiveSet<() => void>()
    signal.addEventListener('abort', () => all.drain((one) => one()))
    waiting.set(signal, all)
    actions = all
  }
  return actions.add(action)
}
