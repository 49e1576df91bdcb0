// The frame of every page that requires a login: navigation at the side, the page, and notices above both.

import './shell.css'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { Outlet, useLocation } from 'react-router'
import { shell } from '../texts/en/shell.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { Mark } from './mark.tsx'
import { Navigation } from './navigation.tsx'
import { Notices } from './notices.tsx'
import { RequireSession } from './require-session.tsx'

export function Component() {
  return (
    <RequireSession>
      <Frame />
    </RequireSession>
  )
}

function Frame() {
  const [opened, setOpened] = useState(false)
  const { pathname } = useLocation()
  const content = useRef<HTMLElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    // The menu of narrow screens closes when another page opens, and the focus moves to the content.
    setOpened(false)
    content.current?.focus({ preventScroll: true })
  }, [pathname])
  const isNarrow = useMediaQuery('(max-width: 47.99em)')
  const covers = opened && isNarrow === true
  useEffect(() => {
    if (!covers) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setOpened(false)
      button.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [covers])
  return (
    <>
      <a className="skip" href="#content">
        {shell.skip}
      </a>
      <header className="frame-top">
        <button
          type="button"
          className="menu-button"
          ref={button}
          aria-expanded={opened}
          aria-label={opened ? shell.closeMenu : shell.openMenu}
          onClick={() => setOpened(!opened)}
        >
          <svg width={20} height={20} viewBox="0 0 20 20" stroke="currentColor" strokeWidth={1.6} aria-hidden>
            <path d={opened ? 'M4 4l12 12M16 4L4 16' : 'M2 5h16M2 10h16M2 15h16'} />
          </svg>
        </button>
        <Mark />
      </header>
      <div className="frame-side" data-opened={opened || undefined}>
        <Navigation />
      </div>
      <main className="frame-content" id="content" ref={content} tabIndex={-1} inert={covers}>
        <ConnectionNotice />
        <Outlet />
      </main>
      <Notices />
    </>
  )
}
