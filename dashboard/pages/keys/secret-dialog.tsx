// Dialog with a form that creates a secret; after the form, the dialog shows the secret once.

import { Button, Group, Modal, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { keys as words } from '../../texts/en/keys.ts'

interface SecretDialogProps<Made> {
  readonly opened: boolean
  readonly onClose: () => void
  /** Titles of the dialog with the form, and of the dialog with the secret. */
  readonly titles: readonly [form: string, made: string]
  /** Width of the dialog with the form. */
  readonly size?: 'md' | 'lg'
  /** Renders the form. */
  readonly form: (onMade: (made: Made) => void, close: () => void) => ReactNode
  /** Renders the new secret. */
  readonly shown: (made: Made) => ReactNode
}

export function SecretDialog<Made>(props: SecretDialogProps<Made>) {
  const { opened, onClose, titles, size = 'md', form, shown } = props
  const [made, setMade] = useState<Made>()
  const close = () => {
    onClose()
    setMade(undefined)
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={titles[made === undefined ? 0 : 1]}
      size={made === undefined ? size : 'xl'}
      // The secret is shown only once, so a click outside the dialog must not close it.
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
    >
      {made === undefined ? (
        form(setMade, close)
      ) : (
        <Stack>
          {shown(made)}
          <Group justify="flex-end">
            <Button onClick={close}>{words.done}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
