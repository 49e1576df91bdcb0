// Form that suspends or reactivates an account, limits its mail and storage, and grants credits.

import { Checkbox, Divider, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { byteSize, SEPARATORS } from '../../parts/numbers.ts'
import { tell } from '../../parts/tell.ts'
import { operator } from '../../texts/en/operator.ts'
import { fill } from '../../texts/texts.ts'
import { changeAccount, grantCredits, type OperatedAccount } from './calls.ts'

interface EditAccountProps {
  readonly account: OperatedAccount | undefined
  readonly onClose: () => void
}

export function EditAccount({ account, onClose }: EditAccountProps) {
  return (
    <Modal opened={account !== undefined} onClose={onClose} title={account?.name}>
      {account !== undefined && (
        <Stack>
          <Allowance account={account} onDone={onClose} />
          <Divider />
          <StoredBytes account={account} onDone={onClose} />
          <Divider />
          <Grant account={account} onDone={onClose} />
          <Divider />
          <Status account={account} onDone={onClose} />
        </Stack>
      )}
    </Modal>
  )
}

interface PartProps {
  readonly account: OperatedAccount
  readonly onDone: () => void
}

function useChange<Given>(act: (given: Given) => Promise<unknown>, done: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: async () => {
      tell.done(done)
      await queries.invalidateQueries({ queryKey: ['operator', 'accounts'] })
      onDone()
    },
  })
}

/** Required number field, because an empty field would be sent as 0, which allows no mail. */
const REQUIRED = { required: true, withAsterisk: false } as const

function Allowance({ account, onDone }: PartProps) {
  const [limited, setLimited] = useState(account.sending_allowance !== null)
  const [allowance, setAllowance] = useState<number | string>(account.sending_allowance ?? 1_000)
  const change = useChange(
    () => changeAccount(account.account_id, { sending_allowance: limited ? Number(allowance) : null }),
    operator.accounts.allowanceSaved,
    onDone,
  )
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        change.mutate(undefined)
      }}
    >
      <Stack gap="sm">
        <Checkbox
          label={operator.accounts.limitAllowance}
          checked={limited}
          onChange={(event) => setLimited(event.currentTarget.checked)}
        />
        <ErrorNotice error={change.error} />
        <Group align="flex-end">
          <NumberInput
            label={
              account.allowance_renews === 'month'
                ? operator.accounts.recipientsAMonth
                : operator.accounts.recipientsLeft
            }
            {...REQUIRED}
            min={0}
            allowDecimal={false}
            {...SEPARATORS}
            disabled={!limited}
            flex={1}
            value={allowance}
            onChange={setAllowance}
          />
          <ActionButton type="submit" variant="default" loading={change.isPending}>
            {operator.accounts.save}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

const MB = 1_000_000

function StoredBytes({ account, onDone }: PartProps) {
  const { stored_bytes_limit: limit } = account
  const [own, setOwn] = useState(limit !== null)
  const [megabytes, setMegabytes] = useState<number | string>(limit === null ? 1_000 : limit / MB)
  const change = useChange(
    () =>
      changeAccount(account.account_id, {
        stored_bytes_limit: own ? Math.round(Number(megabytes) * MB) : null,
      }),
    operator.accounts.limitSaved,
    onDone,
  )
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        change.mutate(undefined)
      }}
    >
      <Stack gap="sm">
        <Checkbox
          label={operator.accounts.ownLimit}
          description={fill(operator.accounts.ownLimitHint, { size: byteSize(account.stored_bytes) })}
          checked={own}
          onChange={(event) => setOwn(event.currentTarget.checked)}
        />
        <ErrorNotice error={change.error} />
        <Group align="flex-end">
          <NumberInput
            label={operator.accounts.limitInMb}
            {...REQUIRED}
            min={0}
            decimalScale={6}
            {...SEPARATORS}
            disabled={!own}
            flex={1}
            value={megabytes}
            onChange={setMegabytes}
          />
          <ActionButton type="submit" variant="default" loading={change.isPending}>
            {operator.accounts.saveLimit}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

function Grant({ account, onDone }: PartProps) {
  const [credits, setCredits] = useState<number | string>(1_000)
  const [note, setNote] = useState('')
  const grant = useChange(
    () =>
      grantCredits(account.account_id, {
        credits: Number(credits),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      }),
    operator.accounts.granted,
    onDone,
  )
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        grant.mutate(undefined)
      }}
    >
      <Stack gap="sm">
        <Text fz="sm">{fill(operator.accounts.creditsLeft, { count: account.verification_credits })}</Text>
        <ErrorNotice error={grant.error} />
        <Group align="flex-end">
          <NumberInput
            label={operator.accounts.grantCredits}
            {...REQUIRED}
            min={1}
            allowDecimal={false}
            {...SEPARATORS}
            w={130}
            value={credits}
            onChange={setCredits}
          />
          <TextInput
            label={operator.accounts.note}
            placeholder={operator.accounts.optional}
            maxLength={200}
            flex={1}
            miw={120}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
          <ActionButton type="submit" variant="default" loading={grant.isPending}>
            {operator.accounts.grant}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

function Status({ account, onDone }: PartProps) {
  const suspended = account.status === 'suspended'
  const change = useChange(
    () => changeAccount(account.account_id, { status: suspended ? 'active' : 'suspended' }),
    suspended ? operator.accounts.resumed : operator.accounts.suspended,
    onDone,
  )
  return (
    <Stack gap="sm">
      <ErrorNotice error={change.error} />
      <Group justify="space-between">
        <Text fz="sm" maw={260}>
          {suspended ? operator.accounts.suspendedHint : operator.accounts.suspendHint}
        </Text>
        <ActionButton
          variant="outline"
          color={suspended ? 'post' : 'red'}
          c={suspended ? undefined : 'var(--mantine-color-error)'}
          loading={change.isPending}
          onClick={() => change.mutate(undefined)}
        >
          {suspended ? operator.accounts.resume : operator.accounts.suspend}
        </ActionButton>
      </Group>
    </Stack>
  )
}
