/* Readers of what storage tools print: each adds what one output says to a stack (stack.h). Pure; none fails: a
 * line that is not understood is passed over. Texts are valid UTF-8 and last as long as the stack. */
#ifndef NVADVISE_PROBES_IMPORT_STORAGE_H
#define NVADVISE_PROBES_IMPORT_STORAGE_H

#include "advisor/base/json.h"
#include "probes/import/stack.h"

/* One kind of output. `begins`: is this line the first of one? `read`: true when something was understood. */
struct storage_reader {
    const char *name; /* the tool: "lsblk" */
    const char *doc;
    bool (*begins)(struct span line);
    bool (*read)(struct stack *s, struct span text);
    bool (*read_json)(struct stack *s, const struct json *doc); /* NULL: prints no JSON */
    bool twice; /* it names devices by number or by mount: read once more when all outputs were read */
};

extern const struct storage_reader storage_readers[];
extern const size_t storage_n_readers;

/* The text with the headings that an option of its command left off; `text` itself where none did. */
struct span storage_headed(struct arena *a, struct span command, struct span text);

/* ---- the readers ----------------------------------------------------------------------------- */

bool lsblk_begins(struct span line); /* headings, or NAME="…" */
bool lsblk_read(struct stack *s, struct span text);
bool lsblk_read_json(struct stack *s, const struct json *doc);

bool mount_begins(struct span line); /* a line of mount, /proc/mounts, mountinfo, fstab */
bool mount_read(struct stack *s, struct span text);
bool findmnt_begins(struct span line);
bool findmnt_read(struct stack *s, struct span text);
bool findmnt_read_json(struct stack *s, const struct json *doc);
bool df_begins(struct span line);
bool df_read(struct stack *s, struct span text);

bool mdstat_begins(struct span line);
bool mdstat_read(struct stack *s, struct span text);
bool mdadm_begins(struct span line); /* mdadm --detail */
bool mdadm_read(struct stack *s, struct span text);

bool lvm_begins(struct span line); /* lvs, vgs, pvs */
bool lvm_read(struct stack *s, struct span text);
bool lvm_read_json(struct stack *s, const struct json *doc);

bool lvdisplay_begins(struct span line); /* lvdisplay, pvdisplay, vgdisplay, also with -m */
bool lvdisplay_read(struct stack *s, struct span text);
/* When all was read: volumes of a group that has one physical volume stand on it, whoever printed what. */
void lvm_end(struct stack *s);

bool dmsetup_begins(struct span line); /* dmsetup table */
bool dmsetup_read(struct stack *s, struct span text);
bool dmtree_begins(struct span line); /* dmsetup ls --tree */
bool dmtree_read(struct stack *s, struct span text);
bool crypt_begins(struct span line); /* cryptsetup status */
bool crypt_read(struct stack *s, struct span text);
bool multipath_begins(struct span line); /* multipath -ll */
bool multipath_read(struct stack *s, struct span text);
bool blkid_begins(struct span line);
bool blkid_read(struct stack *s, struct span text);
bool fdisk_begins(struct span line);
bool fdisk_read(struct stack *s, struct span text);

bool zpool_begins(struct span line); /* zpool status */
bool zpool_read(struct stack *s, struct span text);
bool zpool_read_json(struct stack *s, const struct json *doc);
bool zpoollist_begins(struct span line); /* zpool list, zpool iostat: also with -v */
bool zpoollist_read(struct stack *s, struct span text);
bool zfsget_begins(struct span line); /* zfs get, zpool get */
bool zfsget_read(struct stack *s, struct span text);
bool zfsget_read_json(struct stack *s, const struct json *doc); /* also of zfs list */
bool zfslist_begins(struct span line);
bool zfslist_read(struct stack *s, struct span text);

bool btrfs_begins(struct span line); /* btrfs filesystem show, df, usage */
bool btrfs_read(struct stack *s, struct span text);

bool xfsinfo_begins(struct span line);
bool xfsinfo_read(struct stack *s, struct span text);
bool ext4_begins(struct span line); /* dumpe2fs -h, tune2fs -l */
bool ext4_read(struct stack *s, struct span text);

#endif
