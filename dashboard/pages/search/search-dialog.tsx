// The search dialog, with a single field for messages, addresses, domains and pages of the dashboard.

import { Combobox, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useMatch, useNavigate } from 'react-router'
import { withQuery } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconSearch } from '../../parts/icons.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay, useSession } from '../../session.ts'
import { search as texts } from '../../texts/en/search.ts'
import { fill } from '../../texts/texts.ts'
import { type Domain, domainsQuery } from '../domains/calls.ts'
import { recipientsInShort } from '../messages/calls.ts'
import { outcomeOf } from '../messages/outcome.ts'
import { addressPath, type Found, searchQuery } from './calls.ts'
import { findPlaces, type Place } from './places.ts'

const PAUSE_MS = 150

interface SearchDialogProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export default function SearchDialog({ opened, onClose }: SearchDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={texts.title}
      size="lg"
      yOffset="8dvh"
      centered={false}
      padding="md"
      // The focus ring of the field needs room below the title.
      styles={{ body: { paddingTop: 4 } }}
    >
      <SearchBox onClose={onClose} />
    </Modal>
  )
}

function SearchBox({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [sought] = useDebouncedValue(typed.trim(), PAUSE_MS)
  const query = useQuery(searchQuery(sought))
  const domains = useQuery(domainsQuery).data?.data ?? []
  // The Escape key closes the list of the field instead of the dialog, so the dialog closes together with the list.
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose })
  const pages = usePlaces(sought, domains)
  const groups = sought === '' ? [] : groupsOf(sought, query.data, domains, pages)
  const waits = sought !== typed.trim() || query.isPlaceholderData || (query.isPending && sought !== '')
  const count = groups.reduce((sum, { results }) => sum + results.length, 0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other results have another first option
  useEffect(() => {
    combobox.selectFirstOption()
  }, [query.data, sought])
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(address) => {
        onClose()
        navigate(address)
      }}
    >
      <Combobox.EventsTarget withAriaAttributes={count > 0}>
        <TextInput
          data-autofocus
          aria-label={texts.label}
          placeholder={texts.placeholder}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          leftSection={<IconSearch size={16} stroke={1.6} />}
          rightSection={waits ? <Loader size={14} /> : undefined}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={1_000}
          size="md"
        />
      </Combobox.EventsTarget>
      <div className="search-results">
        <ErrorNotice error={query.error} />
        {count > 0 ? (
          <Combobox.Options aria-label={texts.results}>
            {groups.map(({ name, results }) => (
              <Combobox.Group key={name} label={name}>
                {results.map((result) => (
                  <Combobox.Option key={result.address} value={result.address}>
                    <Line {...result} />
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            ))}
          </Combobox.Options>
        ) : (
          <Text fz="sm" c="dimmed" p="xs" role="status">
            {sought !== '' && !waits && query.error === null ? texts.noMatches : texts.hint}
          </Text>
        )}
      </div>
    </Combobox>
  )
}

type SearchedDomain = Pick<Domain, 'domain_id' | 'domain' | 'domain_unicode'>

/** Maximum number of other domains in which the search looks for pages. */
const MAX_DOMAINS = 20

/** Returns the pages with the typed words in their names; the pages of the domain on the screen come first. */
function usePlaces(sought: string, domains: readonly SearchedDomain[]): readonly Place[] {
  const { user } = useSession()
  const mayDevelop = useMay('developer')
  const mayAudit = useMay('admin')
  const here = useMatch('/domains/:domainId/*')?.params.domainId
  const first = domains.filter(({ domain_id }) => domain_id === here)
  const others = domains.filter(({ domain_id }) => domain_id !== here).slice(0, MAX_DOMAINS)
  const rights = { mayDevelop, mayAudit, isOperator: user.operator }
  return findPlaces(sought, rights, [...first, ...others])
}

interface Result {
  /** Path of the page that the result links to. */
  readonly address: string
  readonly title: string
  readonly about?: string
  readonly status?: string
  readonly at?: string
}

const Line = ({ title, about, status, at }: Result) => (
  <div className="search-line">
    <div className="one-line-each">
      <Text fz="sm" fw={500}>
        {title}
      </Text>
      {about !== undefined && (
        <Text fz="sm" c="dimmed">
          {about}
        </Text>
      )}
    </div>
    {status !== undefined && (
      <Text fz="sm" component="div">
        <StatusBadge status={status} />
      </Text>
    )}
    {at !== undefined && (
      <Text fz="sm" c="dimmed" component="div" visibleFrom="sm">
        <Time at={at} />
      </Text>
    )}
  </div>
)

interface ResultGroup {
  readonly name: string
  readonly results: readonly Result[]
}

function groupsOf(
  sought: string,
  found: Found | undefined,
  domains: readonly SearchedDomain[],
  pages: readonly Place[],
): readonly ResultGroup[] {
  const names = new Map(domains.map(({ domain_id, domain_unicode }) => [domain_id, domain_unicode]))
  const inDomain = (id: string): string | undefined => (domains.length > 1 ? names.get(id) : undefined)
  const words = sought.toLowerCase()
  const messages = (found?.messages ?? []).map((message) => ({
    address: `/domains/${message.domain_id}/messages/${message.message_id}`,
    title: message.subject || texts.noSubject,
    about: joined(recipientsInShort(message), inDomain(message.domain_id)),
    status: outcomeOf(message).status,
    at: message.created_at,
  }))
  const inbound = (found?.inbound ?? []).map((one) => ({
    address: `/domains/${one.domain_id}/inbound/${one.inbound_id}`,
    title: one.subject || texts.noSubject,
    about: joined(fill(texts.from, { sender: one.from }), inDomain(one.domain_id)),
    status: 'received',
    at: one.received_at,
  }))
  const addresses = (found?.addresses ?? []).map((email) => ({ address: addressPath(email), title: email }))
  const tags = (found?.tags ?? []).map(({ domain_id, tag }) => ({
    address: withQuery(`/domains/${domain_id}/messages`, { tag }),
    title: tag,
    about: joined(texts.withTag, inDomain(domain_id)),
  }))
  const templates = (found?.templates ?? []).map(({ kind, id, domain_id, name, alias }) => ({
    address: `/domains/${domain_id}/${kind}s/${id}`,
    title: name,
    about: joined(texts.kinds[kind], alias ?? undefined, inDomain(domain_id)),
  }))
  const places = domains
    .filter(({ domain, domain_unicode }) => domain.includes(words) || domain_unicode.includes(words))
    .slice(0, 5)
    .map(({ domain_id, domain_unicode }) => ({
      address: `/domains/${domain_id}/messages`,
      title: domain_unicode,
    }))
  return [
    { name: texts.pages, results: pages },
    { name: texts.addresses, results: addresses },
    { name: texts.messages, results: messages },
    { name: texts.inbound, results: inbound },
    { name: texts.tags, results: tags },
    { name: texts.templates, results: templates },
    { name: texts.domains, results: places },
  ].filter(({ results }) => results.length > 0)
}

const joined = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join(' · ')
