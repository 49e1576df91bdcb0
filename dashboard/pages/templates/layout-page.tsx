// The editor of one layout.

import { EditPage } from './edit-page.tsx'

export const Component = () => <EditPage noun="layout" />
