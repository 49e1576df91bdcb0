// Logo and name of the product, which link to the home page.

import { Group, Text, UnstyledButton } from '@mantine/core'
import { Link } from 'react-router'

export function Mark() {
  return (
    <UnstyledButton component={Link} to="/">
      <Group gap={10} wrap="nowrap">
        <img src="/docs/mark.svg" width={26} height={26} alt="" />
        <Text fw={600} fz="md">
          Postrider
        </Text>
      </Group>
    </UnstyledButton>
  )
}
