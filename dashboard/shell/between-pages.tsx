// Around every page: a bar above it while the next one is fetched, and in the document which one is shown.

import { useLayoutEffect } from 'react'
import { Outlet, useLocation, useNavigation } from 'react-router'

export function BetweenPages() {
  const { pathname, search } = useLocation()
  const onItsWay = useNavigation().state !== 'idle'
  // The address bar may be ahead of what is seen. Tests wait for this.
  useLayoutEffect(() => {
    document.documentElement.dataset.page = `${pathname}${search}`
  }, [pathname, search])
  return (
    <>
      {onItsWay && <div className="on-its-way" role="progressbar" aria-label="Loading the page" />}
      <Outlet />
    </>
  )
}
