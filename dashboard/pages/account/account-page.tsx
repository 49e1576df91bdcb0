// The account page: name, sending allowance and credits of the account.

import { Anchor, Group, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Loading } from '../../parts/loading.tsx'
import { byteSize, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { sessionQuery, useMay } from '../../session.ts'
import { account as words } from '../../texts/en/account.ts'
import { counted, fill } from '../../texts/texts.ts'
import { AccountTabs } from './account-tabs.tsx'
import { type Account, accountQuery, renameAccount } from './calls.ts'

export function Component() {
  const { data, error, refetch } = useQuery({ ...accountQuery, refetchInterval: 15_000 })
  return (
    <Page title={words.title}>
      <AccountTabs />
      {data !== undefined ? (
        <Overview account={data} />
      ) : error !== null ? (
        <ErrorNotice error={error} again={refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}

function Overview({ account }: { readonly account: Account }) {
  const mayRename = useMay('owner')
  const { stored_bytes_limit: storedLimit } = account
  return (
    <Stack gap="lg" maw={720}>
      <Card title={account.name}>
        <Facts
          facts={[
            [words.status, <StatusBadge key="status" status={account.status} />],
            [words.allowance, allowanceOf(account)],
            [
              words.stored,
              storedLimit === null
                ? fill(words.storedNoLimit, { size: byteSize(account.stored_bytes) })
                : fill(words.storedOf, {
                    size: byteSize(account.stored_bytes),
                    limit: byteSize(storedLimit),
                  }),
            ],
            [
              words.credits,
              <Anchor key="credits" component={Link} to="/verification/credits" inherit>
                {fill(words.creditsLeft, { count: account.verification_credits })}
              </Anchor>,
            ],
            [
              words.accountId,
              <span key="id" className="code-line">
                {account.account_id}
              </span>,
            ],
            [words.created, <Time key="since" at={account.created_at} exact />],
          ]}
        />
      </Card>
      {mayRename && <Rename account={account} />}
    </Stack>
  )
}

function allowanceOf({
  sending_allowance: number,
  sending_allowance_left: left,
  allowance_renews: renewal,
}: Account): string {
  if (number === null || left === null) return words.noLimit
  if (renewal === 'never') return counted(words.allowanceLeft, left)
  return fill(words.allowanceOfMonth, { count: whole(left), number: whole(number) })
}

function Rename({ account }: { readonly account: Account }) {
  const [name, setName] = useState(account.name)
  const queries = useQueryClient()
  const rename = useMutation({
    mutationFn: () => renameAccount(name.trim()),
    onSuccess: async () => {
      tell.done(words.renamed)
      await queries.invalidateQueries({ queryKey: accountQuery.queryKey })
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
  })
  return (
    <Card title={words.name}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          rename.mutate()
        }}
      >
        <Stack>
          <ErrorNotice error={rename.error} />
          <Group align="flex-end">
            <TextInput
              aria-label={words.nameOfAccount}
              required
              maxLength={100}
              flex={1}
              miw={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <ActionButton
              type="submit"
              variant="default"
              loading={rename.isPending}
              disabled={['', account.name].includes(name.trim())}
            >
              {words.rename}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
