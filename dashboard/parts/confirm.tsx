// Dialog that asks for confirmation before an action that cannot be undone.

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { common } from '../texts/en/common.ts'
import { ActionButton } from './action-button.tsx'
import { ErrorNotice } from './error-notice.tsx'

interface ConfirmProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
  /** Label of the button that confirms. */
  readonly action: string
  /** Label of the button that cancels. */
  readonly keep?: string
  /** True if the action destroys nothing. */
  readonly harmless?: boolean
  /** True if the action is impossible. */
  readonly disabled?: boolean
  readonly onConfirm: () => void
  readonly busy: boolean
  readonly error?: Error | null
}

export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, onConfirm, busy } = props
  const { keep = common.cancel, harmless = false, disabled = false, error = null } = props
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack>
        <Text fz="sm" component="div">
          {children}
        </Text>
        <ErrorNotice error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {keep}
          </Button>
          <ActionButton
            {...(harmless ? {} : { color: 'red.9' })}
            loading={busy}
            disabled={disabled}
            onClick={onConfirm}
          >
            {action}
          </ActionButton>
        </Group>
      </Stack>
    </Modal>
  )
}
