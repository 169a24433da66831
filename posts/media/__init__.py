"""Photos that people upload: checked, kept aside, made into sizes by a worker, shown, and deleted when unused.

names       what files are called, and their addresses
files       storing, reading and deleting them
imaging     pictures: values in, values out
uploading   an upload becomes a photo that is still to be processed
processing  the worker's part
attaching   photos and menus
avatars     photos of people
pruning     what nobody uses
serving     the local folder over HTTP
"""
