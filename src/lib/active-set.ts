// Objects that are active at the moment, added and removed with every request.

interface Place<Member> {
  /** Undefined after removal, so that a list that was replaced keeps no member alive. */
  member: Member | undefined
  index: number
}

/**
 * A set of objects that come and go with every request. A Set, a Map or the listeners of an AbortSignal would leave a
 * chain of dead tables or nodes: one of them in the old generation keeps everything that later ones held until a
 * collection of the whole heap, which then runs all the time (see bench/README.md).
 */
export class ActiveSet<Member extends object> {
  readonly #places: Place<Member>[] = []

  /** Adds a member; the returned function removes the member and may be called more than once. */
  add(member: Member): () => void {
    const place: Place<Member> = { member, index: this.#places.length }
    this.#places.push(place)
    return () => this.#remove(place)
  }

  /** The current members, in no order. */
  get members(): Member[] {
    return this.#places.map(({ member }) => member as Member)
  }

  /** Removes members one by one until none is left, including those added meanwhile, and passes each to `work`. */
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
 * Calls `action` when the signal is aborted, or at once if it is aborted already; the returned function cancels the
 * call. Meant for long-lived signals with many short-lived listeners: the signal itself has one listener for all of
 * them.
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
