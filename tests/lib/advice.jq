# Everything that a report advises, one object an item: what a person would be told to change, keep or look at.
#   {"setting", "advice", "level", "rule", "value"}      level: error, warning, note
# Input: the report document. Settings of other layers than the option file bear the layer's name.

def level: {"critical": "error", "high": "error", "medium": "warning", "low": "note", "info": "note"}[.];

def layer($rule; $variable):
    if $rule == "cache-open-files" then "systemd:LimitNOFILE"
    elif $variable == "zfs_arc_max" then "zfs:zfs_arc_max" else $variable end;

def number: if . == null then null else (tonumber? // null) end;

# Which way a planned line moves the value, where both are numbers.
def direction($finding):
    (.old | number) as $old | (.new | number) as $new
    | if $old == null or $new == null then $finding.advice
      elif $new > $old then "raise" elif $new < $old then "lower" else $finding.advice end;

# What a finding of another layer is about.
def topic: {"zfs-recordsize": "zfs:recordsize", "zfs-raidz-oltp": "filesystem", "fs-type-unfit": "filesystem",
    "zfs-arc-unbounded": "zfs:zfs_arc_max", "cache-open-files": "systemd:LimitNOFILE",
    "mem-over-limit": "memory_limit", "dur-trx-commit-relaxed": "innodb_flush_log_at_trx_commit"}[.];

.findings[] | select(.verdict == "fail" and .waived == null) | . as $f
| ((.settings // [])[] | {setting: layer($f.rule; .variable), advice: direction($f), value: .new}),
  ((.items // [])[] | {setting, advice, value: null}),
  (if ($f.rule | topic) then {setting: ($f.rule | topic), advice: $f.advice, value: null} else empty end)
| . + {level: ($f.severity | level), rule: $f.rule}
