// A resolver that answers so many questions and no more, so that nobody's DNS can make us ask without end.

import type { HostResolver } from '../dns/mail-hosts.ts'
import type { DnsAnswer } from '../dns/resolver.ts'

const REFUSED: DnsAnswer<never> = { kind: 'failure', code: 'ETOOMANY' }

/** Answers the first `most` questions as `resolver` does, and fails the others. */
export function boundedResolver(resolver: HostResolver, most: number): HostResolver {
  let left = most
  const bounded = <T>(ask: () => Promise<DnsAnswer<T>>): Promise<DnsAnswer<T>> =>
    left-- > 0 ? ask() : Promise.resolve(REFUSED)
  return {
    mx: (name) => bounded(() => resolver.mx(name)),
    a: (name) => bounded(() => resolver.a(name)),
    aaaa: (name) => bounded(() => resolver.aaaa(name)),
  }
}
