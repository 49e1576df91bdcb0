// A link back to the list that the user came from.

import { Anchor, type AnchorProps, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, type To } from 'react-router'
import { IconArrowLeft } from './icons.tsx'

interface BackLinkProps extends Pick<AnchorProps, 'hiddenFrom'> {
  readonly to: To
  readonly children: ReactNode
}

export const BackLink = ({ to, children, hiddenFrom }: BackLinkProps) => (
  <Anchor component={Link} to={to} fz="sm" c="dimmed" hiddenFrom={hiddenFrom}>
    <Group gap={4} component="span">
      <IconArrowLeft size={14} /> {children}
    </Group>
  </Anchor>
)
