# SPDX-License-Identifier: MIT
# Makes the site's main page of README.md. Doxygen lists sections of the main page in the sidebar before all pages; its
# headings become HTML, so that the guide and the reference are first.
/^## / {
  heading = substr($0, 4)
  id = tolower(heading)
  gsub(/[^a-z0-9]/, "_", id)
  print "<h2><a id=\"" id "\"></a>" heading "</h2>"
  next
}
{
  gsub(/docs\/guide\/README\.md/, "#guide")
  print
}
