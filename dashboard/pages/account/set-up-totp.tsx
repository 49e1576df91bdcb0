// Pairs an authenticator app: the user scans a QR code, enters a code of the app, and gets recovery codes.

import { Center, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { QRCodeSVG } from 'qrcode.react'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Loading } from '../../parts/loading.tsx'
import { sessionQuery } from '../../session.ts'
import { account as words } from '../../texts/en/account.ts'
import { beginTotp, confirmTotp } from './calls.ts'

interface SetUpTotpProps {
  readonly onDone: (recoveryCodes: readonly string[]) => void
}

export function SetUpTotp({ onDone }: SetUpTotpProps) {
  const [code, setCode] = useState('')
  const queries = useQueryClient()
  // Each opening of the dialog creates a new secret, which is not cached.
  const begun = useQuery({
    queryKey: ['totp'],
    queryFn: beginTotp,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    meta: { once: true },
  })
  const confirm = useMutation({
    mutationFn: () => confirmTotp(code.replaceAll(' ', '')),
    onSuccess: async ({ recovery_codes }) => {
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      onDone(recovery_codes)
    },
  })
  if (begun.data === undefined) {
    return begun.error !== null ? <ErrorNotice error={begun.error} again={begun.refetch} /> : <Loading />
  }
  const { secret, url } = begun.data
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        confirm.mutate()
      }}
    >
      <Stack>
        <Text fz="sm">{words.factor.scan}</Text>
        <Center>
          <div className="qr">
            <QRCodeSVG value={url} size={176} title={words.factor.qrCode} />
          </div>
        </Center>
        <Group justify="center" gap={4} wrap="nowrap">
          <span className="code-line">{secret}</span>
          <CopyButton text={secret} what={words.factor.theKey} />
        </Group>
        <TextInput
          label={words.factor.codeFromApp}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          data-autofocus
          value={code}
          error={confirm.error instanceof ProblemError ? confirm.error.field('code') : undefined}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <ErrorNotice error={confirm.error} except={['code']} />
        <Group justify="flex-end">
          <ActionButton type="submit" loading={confirm.isPending}>
            {words.factor.turnOn}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
