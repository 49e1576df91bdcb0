// Elements around every page: a progress bar while the next page is loading, the path of the visible page in the
// document, and the scroll position.

import { useEffect, useLayoutEffect, useSyncExternalStore } from 'react'
import { Outlet, useLocation } from 'react-router'
import { onTheirWay } from '../fetched.ts'
import { shell } from '../texts/en/shell.ts'

export function BetweenPages() {
  const { pathname, search } = useLocation()
  const waits = useSyncExternalStore(onTheirWay.subscribe, onTheirWay.some)
  // The address bar may already show the URL of the next page while the previous page is visible, so tests wait for
  // this attribute.
  useLayoutEffect(() => {
    document.documentElement.dataset.page = `${pathname}${search}`
  }, [pathname, search])
  useScroll(pathname)
  return (
    <>
      {waits && <div className="on-its-way" role="progressbar" aria-label={shell.loadingPage} />}
      <Outlet />
    </>
  )
}

/** Scroll positions in pixels by path, for the lifetime of the document. */
const scrolled = new Map<string, number>()
const MAX_SCROLLED = 200

/** Restores the scroll position of a page; a page that was not shown before begins at its top. */
function useScroll(pathname: string): void {
  useLayoutEffect(() => {
    window.scrollTo(0, scrolled.get(pathname) ?? 0)
  }, [pathname])
  useEffect(() => {
    const note = () => {
      scrolled.delete(pathname)
      scrolled.set(pathname, window.scrollY)
      if (scrolled.size > MAX_SCROLLED) scrolled.delete([...scrolled.keys()][0] as string)
    }
    addEventListener('scroll', note, { passive: true })
    return () => removeEventListener('scroll', note)
  }, [pathname])
}
