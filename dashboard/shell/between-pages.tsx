// Around every page: a bar above it while the next one is fetched, in the document which one is shown, and where it was
// scrolled to.

import { useEffect, useLayoutEffect, useSyncExternalStore } from 'react'
import { Outlet, useLocation } from 'react-router'
import { onTheirWay } from '../fetched.ts'
import { shell } from '../texts/en/shell.ts'

export function BetweenPages() {
  const { pathname, search } = useLocation()
  const waits = useSyncExternalStore(onTheirWay.subscribe, onTheirWay.some)
  // The address bar may be ahead of what is seen. Tests wait for this.
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

/** By page, in pixels; for as long as the window has this document. */
const scrolled = new Map<string, number>()
const MAX_SCROLLED = 200

/** Returns to where a page was scrolled to; one that was not shown before begins at its top. */
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
