// A resolver that answers so many questions and no more, so that nobody's DNS can make us ask without end.

import type { DnsAnswer, Resolver } from '../dns/resolver.ts'

const REFUSED: DnsAnswer<never> = { kind: 'failure', code: 'ETOOMANY' }

/** Answers the first `most` questions as `resolver` does, and fails the others. */
export function boundedResolver(resolver: Resolver, most: number): Resolver {
  let left = most
  const bounded =
    <T>(ask: (name: string) => Promise<DnsAnswer<T>>) =>
    (name: string): Promise<DnsAnswer<T>> =>
      left-- > 0 ? ask(name) : Promise.resolve(REFUSED)
  return {
    mx: bounded((name) => resolver.mx(name)),
    a: bounded((name) => resolver.a(name)),
    aaaa: bounded((name) => resolver.aaaa(name)),
    txt: bounded((name) => resolver.txt(name)),
    cname: bounded((name) => resolver.cname(name)),
    ns: bounded((name) => resolver.ns(name)),
    ptr: bounded((name) => resolver.ptr(name)),
  }
}
