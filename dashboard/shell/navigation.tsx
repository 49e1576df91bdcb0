// Navigation at the side with links to all pages; inside a domain, with the parts of its workspace.

import { Badge, Box, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ComponentType, type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation, useMatch, useNavigate } from 'react-router'
import { ProblemError } from '../client.ts'
import { domainQuery, domainsQuery } from '../pages/domains/calls.ts'
import { summaryQuery } from '../pages/operator/calls.ts'
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
} from '../parts/icons.tsx'
import { useMay, useSession } from '../session.ts'
import { shell } from '../texts/en/shell.ts'
import { counted } from '../texts/texts.ts'
import { Mark } from './mark.tsx'
import { PersonMenu } from './person-menu.tsx'
import { Search } from './search.tsx'

type Icon = ComponentType<{ readonly size?: number; readonly stroke?: number }>
type Place = readonly [address: string, label: string, icon: Icon, beside?: ReactNode]

/**
 * Parts of a domain's workspace in groups: mail, interfaces for programs, and the domain itself; the paths are relative
 * to the domain.
 */
const WORKSPACE: readonly (readonly (readonly [part: keyof typeof shell.workspace, icon: Icon])[])[] = [
  [
    ['messages', IconMail],
    ['bulk', IconMailForward],
    ['inbound', IconMailDown],
    ['templates', IconFileText],
    ['layouts', IconLayout],
    ['streams', IconAddressBook],
    ['suppressions', IconBan],
  ],
  [
    ['keys', IconKey],
    ['smtp', IconPlug],
    ['webhooks', IconWebhook],
  ],
  [
    ['dns', IconListCheck],
    ['settings', IconSettings],
  ],
]

export function Navigation() {
  const { user } = useSession()
  const mayDevelop = useMay('developer')
  const inside = useMatch('/domains/:domainId/*')
  const domainId = inside?.params.domainId
  const { pathname } = useLocation()
  const places = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another current link
  useEffect(() => {
    places.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  const has = (show: boolean, place: Place): readonly Place[] => (show ? [place] : [])
  return (
    <Stack component="nav" aria-label={shell.main} h="100%" gap={0}>
      <Stack className="frame-mark" px="lg" justify="center" visibleFrom="sm">
        <Mark />
      </Stack>
      <Box px="sm" pt={{ base: 'sm', sm: 0 }} pb="xs">
        <Search />
      </Box>
      <div className="frame-nav" ref={places}>
        <Places places={[['/', shell.home, IconHome]]} exact />
        <Places
          places={[
            ['/activity', shell.activity, IconActivity],
            ['/statistics', shell.statistics, IconChartBar],
            ['/deliverability', shell.deliverability, IconListCheck],
          ]}
        />
        <Places places={[['/domains', shell.domains, IconWorld]]} exact={domainId !== undefined} />
        {domainId?.startsWith('dom_') && <Workspace domainId={domainId} />}
        <Places
          places={[
            ['/verification', shell.verification, IconAt],
            ...has(mayDevelop, ['/inboxes', shell.inboxes, IconInbox]),
            ['/account', shell.account, IconUserCircle],
            ...has(user.operator, ['/operator', shell.operator, IconServer, <FailedChecks key="failed" />]),
          ]}
        />
      </div>
      <Stack p="sm" gap={2} style={{ borderTop: '1px solid var(--line)' }}>
        <a className="nav-link" href="/docs" target="_blank" rel="noreferrer">
          <IconBook size={18} stroke={1.6} />
          {shell.reference}
        </a>
        <PersonMenu />
      </Stack>
    </Stack>
  )
}

/** Pages that only the page of DNS records leads to, and that belong to that page. */
const OF_DNS = /\/(?:authentication|requirements)$/

function Places({ places, exact = false }: { readonly places: readonly Place[]; readonly exact?: boolean }) {
  const pathname = useLocation().pathname.replace(OF_DNS, '/dns')
  return places.map(([address, label, Icon, beside]) => {
    const active = pathname === address || (!exact && pathname.startsWith(`${address}/`))
    return (
      <Link key={address} className="nav-link" to={address} aria-current={active ? 'page' : undefined}>
        <Icon size={18} stroke={1.6} />
        {label}
        {beside}
      </Link>
    )
  })
}

/** Badge with the number of failed health checks of the installation; no output if all checks pass. */
function FailedChecks() {
  const { data } = useQuery(summaryQuery)
  const failed = data?.checks.filter(({ status }) => status === 'fail').length ?? 0
  if (failed === 0) return null
  const words = counted(shell.failedChecks, failed)
  return (
    <Badge size="sm" color="red.9" ml="auto" title={words}>
      <span aria-hidden="true">{failed}</span>
      <span className="visually-hidden">{words}</span>
    </Badge>
  )
}

function Workspace({ domainId }: { readonly domainId: string }) {
  const { error } = useQuery(domainQuery(domainId))
  if (error instanceof ProblemError && error.status === 404) return null
  return (
    <Stack gap={0} my="xs" ml="md" pl="xs" style={{ borderLeft: '1px solid var(--line)' }}>
      <DomainSwitch domainId={domainId} />
      {WORKSPACE.map((group) => (
        <div key={group[0]?.[0]} className="nav-group">
          <Places
            places={group.map(([part, icon]) => [
              `/domains/${domainId}/${part}`,
              shell.workspace[part],
              icon,
            ])}
          />
        </div>
      ))}
    </Stack>
  )
}

/** Name of the domain; a user with several domains can switch to the same page of another domain. */
function DomainSwitch({ domainId }: { readonly domainId: string }) {
  const { data } = useQuery(domainQuery(domainId))
  const domains = useQuery(domainsQuery).data?.data ?? []
  const { pathname } = useLocation()
  const navigate = useNavigate()
  if (domains.length < 2) {
    return (
      <Text fz="sm" fw={600} px="sm" py={4} truncate title={data?.domain}>
        {data?.domain_unicode ?? '…'}
      </Text>
    )
  }
  return (
    <select
      className="domain-switch"
      aria-label={shell.switchDomain}
      value={domainId}
      onChange={({ currentTarget: { value } }) =>
        navigate(`/domains/${value}/${pathname.split('/')[3] ?? 'messages'}`)
      }
    >
      {domains.map(({ domain_id, domain_unicode }) => (
        <option key={domain_id} value={domain_id}>
          {domain_unicode}
        </option>
      ))}
    </select>
  )
}
