// Tabs of related pages; each tab has a separate URL.

import { Box, UnstyledButton } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import { intoView } from './into-view.ts'

interface LinkTabsProps {
  readonly label: string
  readonly tabs: readonly (readonly [address: string, title: string])[]
}

export function LinkTabs({ label, tabs }: LinkTabsProps) {
  const { pathname } = useLocation()
  // The open tab has the longest path that matches the URL.
  const open = tabs
    .map(([address]) => address)
    .filter((address) => pathname === address || pathname.startsWith(`${address}/`))
    .toSorted((one, other) => other.length - one.length)[0]
  return (
    <Box component="nav" aria-label={label} className="tabs" mb="xl">
      {tabs.map(([address, title]) => (
        <UnstyledButton
          key={address}
          component={Link}
          ref={address === open ? intoView : undefined}
          to={address}
          className="tab"
          aria-current={address === open ? 'page' : undefined}
        >
          {title}
        </UnstyledButton>
      ))}
    </Box>
  )
}
