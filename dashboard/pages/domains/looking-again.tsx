// Repeats the DNS check of a domain while the user waits on its page.

import { useEffect, useState } from 'react'
import { domains as texts } from '../../texts/en/domains.ts'
import { fill } from '../../texts/texts.ts'
import type { useDomainAct } from './calls.ts'

const EVERY_MS = 15_000

/**
 * Checks at once if the last check is long ago, and then every fifteen seconds while the page is visible.
 *
 * @param checkedAt time of the last check (RFC 3339); null for none
 * @returns time of the next check in milliseconds since the epoch; undefined if no check is scheduled, or during a
 * check
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

/** Countdown in seconds to the next DNS check, which screen readers do not announce. */
export function NextLook({ at }: { readonly at: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((at - now) / 1_000))
  return <span aria-hidden="true">{fill(texts.dns.next, { seconds })}</span>
}
