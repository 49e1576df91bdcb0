// News of events by the service's stream; a page that has none asks again by itself.

import { useEffect, useState } from 'react'
import { EVENT_TYPES } from '../messages/event-types.ts'

/** Shortest time between two news, in which many events may come, unless told. */
const NEWS_MS = 500
/** Events in half a second above which the stream is closed for a while: so many are not read by anybody. */
const MAX_EVENTS = 500
/** Pause before another stream is opened, where the browser does not do so. */
const RETRY_MS = 15_000

interface Listener {
  /** Called when events may have happened. */
  readonly onNews: () => void
  /** Called with true when the stream is open, with false when it is not. */
  readonly onState: (open: boolean) => void
}

/** Follows a stream while the tab is visible. Returns a function that ends it. */
function follow(address: string, newsMs: number, { onNews, onState }: Listener): () => void {
  let source: EventSource | undefined
  let count = 0
  let news: ReturnType<typeof setTimeout> | undefined
  let retry: ReturnType<typeof setTimeout> | undefined

  const close = (): void => {
    source?.close()
    source = undefined
    clearTimeout(retry)
    onState(false)
  }
  const pause = (): void => {
    close()
    retry = setTimeout(open, RETRY_MS)
  }
  const hear = (): void => {
    if (++count > (MAX_EVENTS * newsMs) / NEWS_MS) pause()
    news ??= setTimeout(() => {
      news = undefined
      count = 0
      onNews()
    }, newsMs)
  }
  function open(): void {
    const opened = new EventSource(address)
    source = opened
    opened.onopen = () => {
      onState(true)
      // The stream begins with what comes from now on.
      onNews()
    }
    opened.onerror = () => {
      onState(false)
      if (opened.readyState === EventSource.CLOSED) pause()
    }
    for (const type of EVENT_TYPES) opened.addEventListener(type, hear)
  }
  const onVisibility = (): void => {
    close()
    if (document.visibilityState === 'visible') open()
  }
  document.addEventListener('visibilitychange', onVisibility)
  onVisibility()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    clearTimeout(news)
    close()
  }
}

/**
 * Follows the stream of an address, none where it is undefined; true while it is open.
 *
 * @param onNews the same function at every call
 * @param newsMs shortest time between two calls of it
 */
export function useEventStream(
  address: string | undefined,
  onNews: () => void,
  newsMs: number = NEWS_MS,
): boolean {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    if (address === undefined) return
    return follow(address, newsMs, { onNews, onState: setOpen })
  }, [address, onNews, newsMs])
  return open
}
