// Notifies pages of new events in the event stream of the service; a page without an event stream polls instead.

import { useEffect, useState } from 'react'
import { EVENT_TYPES } from '../messages/event-types.ts'

/** Default minimum time between two notifications, in milliseconds; one notification may stand for many events. */
const NEWS_MS = 500
/**
 * Number of events in half a second above which the stream is closed for a while, because no user can read so many
 * events.
 */
const MAX_EVENTS = 500
/** Pause before the next stream is opened if the browser does not reconnect by itself, in milliseconds. */
const RETRY_MS = 15_000

interface Listener {
  /** Called if there may be new events. */
  readonly onNews: () => void
  /** Called with true when the stream opens, and with false when it closes. */
  readonly onState: (open: boolean) => void
}

/** Follows an event stream while the tab is visible; returns a function that ends the stream. */
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
      // The stream contains only future events, so the page refreshes its data once.
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
 * Follows the event stream at a URL, or no stream if the URL is undefined; returns true while the stream is open.
 *
 * @param onNews the same function in every render
 * @param newsMs minimum time between two calls of `onNews`, in milliseconds
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
