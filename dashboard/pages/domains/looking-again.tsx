// Looks the records of a domain up again and again while a user waits for them.

import { useEffect, useState } from 'react'
import { domains as texts } from '../../texts/en/domains.ts'
import { fill } from '../../texts/texts.ts'
import type { useDomainAct } from './calls.ts'

const EVERY_MS = 15_000

/**
 * Looks at once when the last look is long ago, then every fifteen seconds while the page is in view.
 *
 * @param checkedAt time of the last look (RFC 3339); null for none
 * @returns time of the next look, in milliseconds since the epoch; undefined when nobody waits, or during a look
 */
export function useLookingAgain(
  wanted: boolean,
  checkedAt: string | null,
  verify: ReturnType<typeof useDomainAct>,
): number | undefined {
  const { mutate, isPending } = verify
  const [next, setNext] = useState(() =>
    Math.min(Date.now() + EVERY_MS, checkedAt === null ? 0 : Date.parse(checkedAt) + EVERY_MS),
  )
  useEffect(() => {
    if (!wanted || isPending) return
    const timer = setTimeout(
      () => {
        setNext(Date.now() + EVERY_MS)
        if (document.visibilityState === 'visible') mutate()
      },
      Math.max(0, next - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [wanted, isPending, mutate, next])
  return wanted && !isPending ? next : undefined
}

/** Seconds until the next look, counted down; not read out. */
export function NextLook({ at }: { readonly at: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((at - now) / 1_000))
  return <span aria-hidden="true">{fill(texts.dns.next, { seconds })}</span>
}
