(comment) @comment.inclusive
(string) @string
