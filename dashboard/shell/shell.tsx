// The frame around every page behind the login: navigation at the side, the page, notices above both.

import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { Outlet, ScrollRestoration, useLocation } from 'react-router'
import { ConnectionNotice } from './connection-notice.tsx'
import { Mark } from './mark.tsx'
import { Navigation } from './navigation.tsx'
import { RequireSession } from './require-session.tsx'

export function Component() {
  return (
    <RequireSession>
      <Frame />
    </RequireSession>
  )
}

function Frame() {
  const [opened, { toggle, close }] = useDisclosure()
  const { pathname } = useLocation()
  const content = useRef<HTMLElement>(null)
  const burger = useRef<HTMLButtonElement>(null)
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    // Another page: the menu of narrow screens is done with, and the keyboard begins at the content.
    close()
    content.current?.focus({ preventScroll: true })
  }, [pathname, close])
  const isMobile = useMediaQuery('(max-width: 48em)')
  const covers = opened && isMobile === true
  useEffect(() => {
    if (!covers) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      close()
      burger.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [covers, close])
  return (
    <AppShell
      header={{ height: { base: 56, sm: 0 } }}
      navbar={{ width: 248, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={0}
    >
      <a className="skip" href="#content">
        Skip to content
      </a>
      <AppShell.Header hiddenFrom="sm" px="md">
        <Group h="100%" gap="sm">
          <Burger
            ref={burger}
            opened={opened}
            onClick={toggle}
            size="sm"
            aria-label={opened ? 'Close menu' : 'Open menu'}
          />
          <Mark />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar bg="var(--surface)">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="content" ref={content} tabIndex={-1} inert={covers}>
        <ConnectionNotice />
        <Outlet />
      </AppShell.Main>
      <ScrollRestoration getKey={(location) => location.pathname} />
    </AppShell>
  )
}
