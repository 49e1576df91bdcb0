// The way to every page, at the side; inside a domain, with the parts of its workspace.

import { Box, Divider, NavLink, ScrollArea, Stack, Text } from '@mantine/core'
import {
  IconActivity,
  IconAddressBook,
  IconAt,
  IconBan,
  IconBook,
  IconChartBar,
  IconFileText,
  IconHome,
  IconInbox,
  IconKey,
  IconLayout,
  IconListCheck,
  IconMail,
  IconMailDown,
  IconMailForward,
  IconPlug,
  IconServer,
  IconSettings,
  IconUserCircle,
  IconWebhook,
  IconWorld,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { Link, useLocation, useMatch } from 'react-router'
import { domainQuery } from '../pages/domains/calls.ts'
import { useSession } from '../session.ts'
import { Mark } from './mark.tsx'
import { PersonMenu } from './person-menu.tsx'
import { Search } from './search.tsx'

type Icon = ComponentType<{ readonly size?: number; readonly stroke?: number }>
type Place = readonly [address: string, label: string, icon: Icon]

/** Of a domain's workspace; addresses are below that of the domain. */
const WORKSPACE: readonly Place[] = [
  ['messages', 'Messages', IconMail],
  ['bulk', 'Mail to many', IconMailForward],
  ['inbound', 'Inbound', IconMailDown],
  ['templates', 'Templates', IconFileText],
  ['layouts', 'Layouts', IconLayout],
  ['streams', 'Streams', IconAddressBook],
  ['suppressions', 'Suppressions', IconBan],
  ['webhooks', 'Webhooks', IconWebhook],
  ['keys', 'API keys', IconKey],
  ['smtp', 'SMTP credentials', IconPlug],
  ['dns', 'DNS records', IconListCheck],
  ['settings', 'Settings', IconSettings],
]

export function Navigation() {
  const { user, mode } = useSession()
  const inside = useMatch('/domains/:domainId/*')
  const domainId = inside?.params.domainId
  const has = (show: boolean, place: Place): readonly Place[] => (show ? [place] : [])
  return (
    <Stack h="100%" gap={0}>
      <Stack px="lg" h={64} justify="center" visibleFrom="sm">
        <Mark />
      </Stack>
      <Box px="sm" pt={{ base: 'sm', sm: 0 }} pb="xs">
        <Search />
      </Box>
      <ScrollArea flex={1} px="sm" type="auto">
        <nav aria-label="Main">
          <Places places={[['/', 'Home', IconHome]]} exact />
          <Places
            places={[
              ['/activity', 'Activity', IconActivity],
              ['/statistics', 'Statistics', IconChartBar],
            ]}
          />
          <Places places={[['/domains', 'Domains', IconWorld]]} exact={domainId !== undefined} />
          {domainId?.startsWith('dom_') && <Workspace domainId={domainId} />}
          <Places
            places={[
              ['/verification', 'Email Verification', IconAt],
              ...has(mode === 'playground', ['/mailbox', 'Mailbox', IconInbox]),
              ['/account', 'Account', IconUserCircle],
              ...has(user.operator, ['/operator', 'Operator', IconServer]),
            ]}
          />
        </nav>
      </ScrollArea>
      <Divider color="var(--line)" />
      <Stack p="sm" gap={2}>
        <NavLink
          component="a"
          href="/docs"
          target="_blank"
          rel="noreferrer"
          label="API reference"
          leftSection={<IconBook size={18} stroke={1.6} />}
        />
        <PersonMenu />
      </Stack>
    </Stack>
  )
}

function Places({ places, exact = false }: { readonly places: readonly Place[]; readonly exact?: boolean }) {
  const { pathname } = useLocation()
  return places.map(([address, label, Icon]) => {
    const active = pathname === address || (!exact && pathname.startsWith(`${address}/`))
    return (
      <NavLink
        key={address}
        component={Link}
        to={address}
        label={label}
        active={active}
        aria-current={active ? 'page' : undefined}
        leftSection={<Icon size={18} stroke={1.6} />}
      />
    )
  })
}

function Workspace({ domainId }: { readonly domainId: string }) {
  const { data } = useQuery(domainQuery(domainId))
  return (
    <Stack gap={0} my="xs" ml="md" pl="xs" style={{ borderLeft: '1px solid var(--line)' }}>
      <Text fz="sm" fw={600} px="sm" py={4} truncate title={data?.domain}>
        {data?.domain ?? '…'}
      </Text>
      <Places
        places={WORKSPACE.map(([part, label, icon]) => [`/domains/${domainId}/${part}`, label, icon])}
      />
    </Stack>
  )
}
