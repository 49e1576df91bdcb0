// Button and dialog that create a link to a message which needs no login, and revoke such links.

import { Button, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { LinkView } from '../../src/api/contract/dashboard-messages.ts'
import { common } from '../texts/en/common.ts'
import { messages as words } from '../texts/en/messages.ts'
import { parts } from '../texts/texts.ts'
import { ActionButton, type ActionButtonProps } from './action-button.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { IconLink } from './icons.tsx'
import { LinkOnce } from './link-once.tsx'
import { RevokeLinks } from './revoke-links.tsx'
import { Time } from './time.tsx'

const LIFETIMES = ['1', '24', '168'] as const

interface ShareLinkProps extends Pick<ActionButtonProps, 'size'> {
  /** Text about what readers of the link see. */
  readonly hint: string
  /** URL of the endpoint that revokes the links. */
  readonly address: string
  readonly create: (hours: number) => Promise<LinkView>
}

export function ShareLink({ hint, address, create, size }: ShareLinkProps) {
  const [opened, { open, close }] = useDisclosure()
  const [hours, setHours] = useState<string>('24')
  const share = useMutation({ mutationFn: () => create(Number(hours)) })
  const end = () => {
    share.reset()
    close()
  }
  return (
    <>
      <Button variant="default" size={size} leftSection={<IconLink size={16} stroke={1.6} />} onClick={open}>
        {words.share}
      </Button>
      <Modal opened={opened} onClose={end} title={words.shareTitle}>
        <Stack>
          <Text fz="sm">{hint}</Text>
          {share.data === undefined ? (
            <SegmentedControl
              aria-label={words.lifetime}
              data={LIFETIMES.map((value) => ({ value, label: words.lifetimes[value] }))}
              value={hours}
              onChange={setHours}
            />
          ) : (
            <>
              <LinkOnce url={share.data.url} />
              <Text fz="sm" c="dimmed">
                {parts(words.expires, { time: <Time key="time" at={share.data.expires_at} exact /> })}
              </Text>
            </>
          )}
          <ErrorNotice error={share.error} />
          <Group justify="flex-end">
            <RevokeLinks address={address} onDone={end} />
            <Button variant="default" onClick={end}>
              {share.data === undefined ? common.cancel : words.done}
            </Button>
            {share.data === undefined && (
              <ActionButton loading={share.isPending} onClick={() => share.mutate()}>
                {words.createLink}
              </ActionButton>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
