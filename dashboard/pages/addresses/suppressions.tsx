// The suppressions of an address in all domains, with buttons that remove or add a suppression.

import { Anchor, Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { inWords } from '../../parts/in-words.ts'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { addresses as words } from '../../texts/en/addresses.ts'
import { common } from '../../texts/en/common.ts'
import { suppressions as list } from '../../texts/en/suppressions.ts'
import { fill } from '../../texts/texts.ts'
import { domainsQuery } from '../domains/calls.ts'
import { type AddressRecord, addressQuery } from '../search/calls.ts'
import { addSuppressions, removeFromAccount, removeSuppressions } from '../suppressions/calls.ts'

export type Suppression = AddressRecord['suppressions'][number]

export function Suppressions({ record }: { readonly record: AddressRecord }) {
  const { email, suppressions } = record
  const may = useMay('developer')
  const mayInAccount = useMay('owner')
  const domains = useQuery(domainsQuery).data?.data ?? []
  const names = new Map(domains.map(({ domain_id, domain_unicode }) => [domain_id, domain_unicode]))
  const nameOf = (id: string | null) => (id === null ? words.allDomains : (names.get(id) ?? '–'))
  const [removed, setRemoved] = useState<Suppression>()
  const [adding, { open, close }] = useDisclosure()
  const columns: readonly Column<Suppression>[] = [
    { title: words.domain, cell: ({ domain_id }) => nameOf(domain_id) },
    { title: list.stream, cell: ({ stream }) => (stream === '*' ? list.all : stream), from: 'sm' },
    { title: list.reason, cell: (one) => <Reason suppression={one} /> },
    { title: list.added, cell: ({ created_at }) => <Time at={created_at} />, from: 'xs', number: true },
    ...(may
      ? [
          {
            title: '',
            number: true,
            cell: (one: Suppression) =>
              (one.domain_id !== null || mayInAccount) && (
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => setRemoved(one)}
                  aria-label={fill(words.removeFrom, {
                    domain: nameOf(one.domain_id),
                    stream: one.stream,
                  })}
                >
                  {list.remove}
                </Button>
              ),
          },
        ]
      : []),
  ]
  return (
    <Card
      title={words.suppressions}
      intro={suppressions.length === 0 ? words.notSuppressed : undefined}
      flush
      actions={
        may && (
          <Button size="xs" variant="default" onClick={open}>
            {list.suppress}
          </Button>
        )
      }
    >
      {suppressions.length > 0 ? (
        <DataTable
          label={words.suppressions}
          query={{ data: { data: suppressions, next_cursor: null }, error: null, refetch: () => undefined }}
          columns={columns}
          keyOf={({ domain_id, stream, email: spelling }) => `${domain_id} ${stream} ${spelling}`}
          empty={null}
        />
      ) : null}
      <RemoveSuppression suppression={removed} address={email} onClose={() => setRemoved(undefined)} />
      <Add email={email} opened={adding} onClose={close} />
    </Card>
  )
}

function Reason({ suppression: { reason, message_id, domain_id } }: { readonly suppression: Suppression }) {
  const name = inWords(reason)
  return message_id === null || domain_id === null ? (
    name
  ) : (
    <Anchor component={Link} to={`/domains/${domain_id}/messages/${message_id}`} inherit underline="always">
      {name}
    </Anchor>
  )
}

interface RemoveProps {
  readonly suppression: Suppression | undefined
  /** The address as the page shows it. */
  readonly address: string
  readonly onClose: () => void
}

export function RemoveSuppression({ suppression, address, onClose }: RemoveProps) {
  const queries = useQueryClient()
  const removing = useMutation({
    mutationFn: ({ domain_id, ...one }: Suppression) =>
      domain_id === null ? removeFromAccount(one.email) : removeSuppressions(domain_id, [one]),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: addressQuery(address).queryKey })
      tell.done(fill(list.removed, { email: address }))
      onClose()
    },
  })
  return (
    <Confirm
      opened={suppression !== undefined}
      onClose={() => {
        removing.reset()
        onClose()
      }}
      title={fill(list.sendAgain, { email: address })}
      action={list.remove}
      busy={removing.isPending}
      error={removing.error}
      onConfirm={() => suppression !== undefined && removing.mutate(suppression)}
    >
      {suppression?.reason === 'complaint' ? list.complaintHint : list.removeHint}
    </Confirm>
  )
}

interface AddProps {
  readonly email: string
  readonly opened: boolean
  readonly onClose: () => void
}

function Add({ email, opened, onClose }: AddProps) {
  const queries = useQueryClient()
  const domains = useQuery(domainsQuery).data?.data ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const domainId = chosen ?? domains[0]?.domain_id
  const add = useMutation({
    mutationFn: (id: string) => addSuppressions(id, [{ email, stream: '*', reason: 'manual' }]),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: addressQuery(email).queryKey })
      tell.done(fill(words.suppressed, { email }))
      onClose()
    },
  })
  const close = () => {
    add.reset()
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={fill(words.suppressQuestion, { email })}>
      <Stack>
        <Text fz="sm">{words.suppressHint}</Text>
        {domains.length > 1 && (
          <Select
            label={words.domain}
            data={domains.map(({ domain_id, domain_unicode }) => ({
              value: domain_id,
              label: domain_unicode,
            }))}
            value={domainId ?? null}
            onChange={setChosen}
            allowDeselect={false}
          />
        )}
        <ErrorNotice error={add.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {common.cancel}
          </Button>
          <ActionButton
            disabled={domainId === undefined}
            loading={add.isPending}
            onClick={() => domainId !== undefined && add.mutate(domainId)}
          >
            {list.suppress}
          </ActionButton>
        </Group>
      </Stack>
    </Modal>
  )
}
